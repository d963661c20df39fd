/** What to collect on a node: five questions, one script. */
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useState } from "react";

import { askText, queryString } from "../api/http";
import { CopyButton } from "../ui/CopyButton";
import { useTitle } from "../ui/useTitle";
import "./investigations.css";

type Choices = Record<"symptom" | "form" | "proxy" | "pod_ip" | "interfaces" | "duration_s" | "size_mb", string>;

interface Question {
  name: keyof Choices;
  label: string;
  /** Value and what it is called; without any it is a text to type. */
  answers?: [string, string][];
  placeholder?: string;
}

const USUAL: Choices = {
  symptom: "connect", form: "script", proxy: "unknown", pod_ip: "", interfaces: "", duration_s: "60", size_mb: "200",
};

const QUESTIONS: Question[] = [
  {
    name: "symptom",
    label: "Symptom",
    answers: [
      ["connect", "connecting takes 1 s, 3 s or more"],
      ["dns", "DNS lookups take 5 s"],
      ["clumps", "responses arrive in batches"],
      ["requests", "requests got slower"],
      ["resets", "connections are reset or time out"],
    ],
  },
  {
    name: "form",
    label: "Where can you run a shell?",
    answers: [
      ["script", "on the node, as root"],
      ["kubectl-debug", "only kubectl: a debug container on one node"],
      ["daemonset", "kubectl: all nodes at once"],
    ],
  },
  {
    name: "proxy",
    label: "How does kube-proxy work?",
    answers: [
      ["unknown", "not sure"],
      ["iptables", "iptables"],
      ["ipvs", "IPVS"],
      ["nftables", "nftables"],
    ],
  },
  { name: "pod_ip", label: "An affected pod", placeholder: "10.244.1.7, if you know one" },
  { name: "interfaces", label: "Interfaces", placeholder: "detected by the script" },
  { name: "duration_s", label: "Seconds to capture" },
  { name: "size_mb", label: "Maximum size (MB)" },
];

export function CapturePage() {
  useTitle("What to capture");
  const [choices, setChoices] = useState(USUAL);
  const address = `/api/v1/collector${queryString({ ...choices, server: window.location.origin })}`;
  const script = useQuery({
    queryKey: ["collector", address],
    staleTime: Infinity,
    retry: false,
    placeholderData: keepPreviousData,
    queryFn: ({ signal }) => askText(address, signal),
  });
  return (
    <main id="main" className="page" tabIndex={-1}>
      <h1>What to capture</h1>
      <p>
        One script captures all vantage points of the path at the same time, takes kernel dumps before, during and after, stops by
        itself and packs one bundle to drop here. It reads, and changes nothing.
      </p>
      <div className="capture-choices">
        {QUESTIONS.map((question) => (
          <Asked
            key={question.name} question={question} value={choices[question.name]}
            onChange={(value) => setChoices((before) => ({ ...before, [question.name]: value }))}
          />
        ))}
      </div>
      {script.error && <p role="alert">{script.error.message}</p>}
      {script.data && <Script text={script.data} form={choices.form} />}
      <Costs />
    </main>
  );
}

function Asked({ question, value, onChange }: { question: Question; value: string; onChange: (value: string) => void }) {
  return (
    <label>
      {question.label}
      {question.answers ? (
        <select className="input" value={value} onChange={(event) => onChange(event.target.value)}>
          {question.answers.map(([answer, words]) => (
            <option key={answer} value={answer}>
              {words}
            </option>
          ))}
        </select>
      ) : (
        <input className="input" value={value} placeholder={question.placeholder} onChange={(event) => onChange(event.target.value)} />
      )}
    </label>
  );
}

const NAME_OF_FORM: Record<string, string> = { script: "collect.sh", "kubectl-debug": "debug.sh", daemonset: "collect.yaml" };
const HOW: Record<string, string> = {
  script: "sh collect.sh",
  "kubectl-debug": "sh debug.sh NODE",
  daemonset: "kubectl apply -f collect.yaml",
};

function Script({ text, form }: { text: string; form: string }) {
  const name = NAME_OF_FORM[form] ?? "collect.sh";
  return (
    <section aria-label="The script" className="capture-script">
      <div className="door-actions">
        <CopyButton text={text} label="Copy the script" />
        <a className="button" download={name} href={`data:text/plain;charset=utf-8,${encodeURIComponent(text)}`}>
          Download {name}
        </a>
        <span>
          then <code className="mono">{HOW[form]}</code>
        </span>
      </div>
      <pre tabIndex={0} aria-label="Text of the script" data-testid="collector">
        {text}
      </pre>
    </section>
  );
}

function Costs() {
  return (
    <section aria-label="Cost" className="dim">
      <h2>Cost</h2>
      <ul>
        <li>Disk: 96 bytes per packet, about 40 MB per minute at 7,000 packets/s; it stops at the size you choose.</li>
        <li>CPU: a few percent of one core for the captures; the kernel dumps run briefly every 5 s.</li>
        <li>
          Privacy: 96 bytes hold headers and the first few bytes of payload. For lookups and requests it keeps 512 bytes, which hold
          names and paths; answers of metadata services hold credentials behind that.
        </li>
      </ul>
    </section>
  );
}
