import { describe, expect, it } from "vitest";

import { firstDifference } from "../comparison";

import type { Connection, ConnectionDetail, ConnectionPacket, Lane } from "../../api/types";
import { connectPhases, ladderColumns, ladderSteps, withRuns, type Fold, type Rung } from "../ladderSteps";

const START = 1_795_223_503_806_000_000n;

function packet(afterNs: number, lane: string, frame: number, changes: Partial<ConnectionPacket> = {}): ConnectionPacket {
  return {
    time_ns: String(START + BigInt(afterNs)), t_rel_ns: afterNs, lane, input: "a.pcapng", frame, from_client: true, what: "SYN",
    source: "10.244.35.28:41363", destination: "10.16.147.226:80", flags: "S", sequence: 7, acknowledgement: 0,
    payload_bytes: 0, timestamp_value: 1, ip_id: 1, tunnel: "", marks: [], ...changes,
  };
}

const lane = (id: string, role: Lane["role"], captured = true): Lane =>
  ({ id, name: id, role, captured, packets: 0, first: null, last: null, note: "", parts: [] });

const CONNECTION: Connection = {
  cid: 1, protocol: "tcp", client: "10.244.35.28", client_port: 41363, server: "10.16.147.226", server_port: 80,
  start_ns: String(START), end_ns: String(START), connect_ms: 1031.9, tries: 2, retry_gaps_s: [1.031794], outcome: "established",
  nat_client: "10.16.146.2", nat_client_port: 23398, nat_server: null, nat_server_port: null, client_bytes: 0, server_bytes: 0,
  application_ratio: null, receiver_window_ratio: null, network_ratio: null, handshake_ratio: null,
  packets: 5, seen_at: ["cni0"], missing_at: ["eth0"], sightings: [], finding_ids: ["one"], instance: 1, joined_because: "",
};

const OUTSIDE = { source: "10.16.146.2:23398" };
const RETRY = { what: "SYN retransmission", timestamp_value: 2, ip_id: 2 };
const ANSWER = { what: "SYN-ACK", from_client: false, flags: "SA", sequence: 9, acknowledgement: 8, source: "10.16.147.226:80" };

const DETAIL: ConnectionDetail = {
  connection: CONNECTION,
  lanes: [lane("cni0", "bridge"), lane("nat", "nat", false), lane("eth0", "uplink"), lane("kernel:e.txt", "kernel")],
  packets: [
    packet(0, "cni0", 307), packet(1_031_794_000, "cni0", 1354, RETRY), packet(1_031_830_000, "eth0", 1484, { ...RETRY, ...OUTSIDE }),
    packet(1_031_900_000, "eth0", 1485, { ...ANSWER, destination: "10.16.146.2:23398" }),
    packet(1_031_920_000, "cni0", 1355, { ...ANSWER, destination: "10.244.35.28:41363" }),
  ],
  marks: [], usual_connect_ms: 0.5, previous_cid: null, next_cid: 2, success_cid: null, filters: { frame_filter: "", portable_filter: "" },
};

const steps = ladderSteps(DETAIL);
const rungs = steps.filter((step): step is Rung => step.kind === "packet");

describe("ladder", () => {
  it("joins sightings of one packet to one rung, in the order of the path", () => {
    expect(rungs.map((rung) => rung.sightings.map((seen) => seen.frame))).toEqual([[307], [1354, 1484], [1355, 1485]]);
  });

  it("puts the cross at the first SYN, once", () => {
    expect(rungs.map((rung) => rung.missing)).toEqual([["eth0"], [], []]);
  });

  it("folds the silence and says how long it was", () => {
    const folds = steps.filter((step): step is Fold => step.kind === "fold");
    expect(folds.map((fold) => fold.gapNs)).toEqual([1_031_794_000]);
  });

  it("shows the port rewriting where it happens, in the direction of the packet", () => {
    expect(rungs.map((rung) => rung.rewriting?.text ?? null)).toEqual([null, "41363 → 23398", "23398 → 41363"]);
    expect(rungs[1]?.rewriting?.between).toEqual(["cni0", "eth0"]);
  });

  it("has no column for a kernel's listing", () => {
    expect(ladderColumns(DETAIL.lanes).map((column) => column.id)).toEqual(["cni0", "nat", "eth0"]);
  });

  it("splits the connect time into waiting and handshake", () => {
    expect(connectPhases(steps).map((phase) => [phase.name, phase.ms.toFixed(2)])).toEqual([
      ["waiting for the SYN retransmission", "1031.79"], ["handshake", "0.11"],
    ]);
  });
});

const rung = (at: number, changes: Partial<Rung> = {}): Rung => ({
  kind: "packet", key: `k${String(at)}`, atNs: at * 1000, what: "data", fromClient: true, sightings: [], missing: [], rewriting: null, ...changes,
});

describe("a long ladder", () => {
  it("shows beginning, end and what surrounds anything unusual; the rest are rows that count", () => {
    const long = Array.from({ length: 300 }, (_, at) => rung(at, at === 150 ? { what: "TCP retransmission" } : {}));
    const rows = withRuns(long);
    expect(rows.length).toBeLessThan(40);
    expect(rows.flatMap((row) => (row.kind === "run" ? row.steps : [row]))).toEqual(long);
    expect(rows.filter((row) => row.kind !== "run").map((row) => row.key)).toContain("k150");
    expect(withRuns(long.slice(0, 60))).toHaveLength(60);
  });
});

describe("compared with a connection that worked", () => {
  const worked: ConnectionDetail = {
    ...DETAIL, connection: { ...CONNECTION, cid: 2, missing_at: [] },
    packets: [packet(0, "cni0", 1), packet(30_000, "eth0", 2, OUTSIDE), packet(90_000, "eth0", 3, { ...ANSWER, destination: "10.16.146.2:23398" })],
  };

  it("differs first where a vantage point never saw the step", () => {
    expect(firstDifference(DETAIL, worked)).toMatchObject({ failed: rungs[0]?.key, sentence: expect.stringContaining("never seen on eth0") as string });
  });

  it("finds no difference to itself", () => {
    expect(firstDifference(worked, worked)).toBeNull();
  });
});
