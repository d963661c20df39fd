/** What to collect on a node, and why each piece is worth having. */
import { Command } from "../ui/CopyButton";
import { useTitle } from "../ui/useTitle";
import "./investigations.css";

interface Step {
  why: string;
  command: string;
}

const STEPS: Step[] = [
  {
    why: "Counters before. The difference to the ones after says what the kernel itself dropped.",
    command: "{ date -u +%FT%TZ; conntrack -S; } > conntrack-S-before.txt",
  },
  {
    why: "Connection tracking events while it happens, with times: which pod got which outgoing port.",
    command: "timeout 60 conntrack -E -o timestamp > conntrack-E.txt &",
  },
  {
    why: "Packets at every point of the path at once: the pod's veth, the bridge, the uplink. Headers only (96 bytes a packet, about 40 MB a minute at 7,000 packets/s), nanosecond stamps. Where a packet is seen last is where it was lost.",
    command:
      "for i in <pod veth> cni0 eth0; do timeout 60 tcpdump -i $i -s 96 --time-stamp-precision=nano -w $i.pcap tcp & done; wait",
  },
  {
    why: "The table while it happens, and the counters after.",
    command: "conntrack -L -o extended,id > conntrack-L.txt; { date -u +%FT%TZ; conntrack -S; } > conntrack-S-after.txt",
  },
  {
    why: "The rules that pick addresses and ports, and the interfaces they belong to.",
    command: "iptables-save -t nat > iptables-save.txt; ip -d link > ip-link.txt; uname -a > uname.txt",
  },
  {
    why: "With kube-proxy in IPVS mode: its connections, its servers, and the settings that decide about reuse.",
    command:
      "ipvsadm -Ln --stats > ipvsadm-stats.txt; ipvsadm -Lnc > ipvsadm-connections.txt; ipvsadm -L --timeout > ipvsadm-timeout.txt; sysctl net.ipv4.vs net.netfilter net.ipv4.tcp_syn_retries > sysctl.txt",
  },
];

export function CapturePage() {
  useTitle("What should I capture?");
  return (
    <main id="main" className="page" tabIndex={-1}>
      <h1>What should I capture?</h1>
      <p>
        Run these on the node, as root, while it happens; a minute is usually enough. They read, they change nothing.
        Replace <code className="mono">&lt;pod veth&gt;</code>; then drop all the files here.
      </p>
      <ol className="capture-steps">
        {STEPS.map((step) => (
          <li key={step.command}>
            <p>{step.why}</p>
            <Command text={step.command} label="Command" />
          </li>
        ))}
      </ol>
      <p className="dim">
        Privacy: 96 bytes hold the headers and the first few bytes of payload of short packets. Leave the size limit away only if you mean
        it.
      </p>
    </main>
  );
}
