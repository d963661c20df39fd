/**
 * A small capture of one vantage point: connections that open at once, and some whose server answers only the sixth SYN.
 * The waits are those of Linux with `tcp_syn_linear_timeouts = 4`, its default since 6.5, and a few ms late, as timers are.
 */
const SYN = 0x02;
const ACK = 0x10;
const CLIENT = [10, 1, 0, 5];
const SERVER = [10, 2, 0, 9];
const START_S = 1_700_000_000;

interface Sent {
  t_ms: number;
  port: number;
  flags: number;
  fromClient: boolean;
  sequence: number;
  acknowledgement: number;
}

/** When each SYN of a lost connection is sent, in ms after its first. */
export const SYNS_MS = [0, 1_012, 2_027, 3_041, 4_055, 5_069];

function frame(packet: Sent): Buffer {
  const bytes = Buffer.alloc(14 + 20 + 20);
  bytes.write("020000000001020000000002", 0, "hex");
  bytes.writeUInt16BE(0x0800, 12);
  const [source, destination] = packet.fromClient ? [CLIENT, SERVER] : [SERVER, CLIENT];
  bytes.writeUInt8(0x45, 14);
  bytes.writeUInt16BE(40, 16);
  bytes.writeUInt16BE((packet.port * 7 + packet.t_ms) & 0xffff, 18);
  bytes.writeUInt8(64, 22);
  bytes.writeUInt8(6, 23);
  bytes.set([...source, ...destination], 26);
  bytes.writeUInt16BE(packet.fromClient ? packet.port : 80, 34);
  bytes.writeUInt16BE(packet.fromClient ? 80 : packet.port, 36);
  bytes.writeUInt32BE(packet.sequence, 38);
  bytes.writeUInt32BE(packet.acknowledgement, 42);
  bytes.writeUInt8(0x50, 46);
  bytes.writeUInt8(packet.flags, 47);
  bytes.writeUInt16BE(64_000, 48);
  return bytes;
}

/** SYNs at those times after `at_ms`, the last of them answered. */
function connection(at_ms: number, port: number, syns_ms: readonly number[]): Sent[] {
  const sequence = port * 1_000;
  const last_ms = at_ms + (syns_ms.at(-1) ?? 0);
  return [
    ...syns_ms.map((ms) => ({ t_ms: at_ms + ms, port, flags: SYN, fromClient: true, sequence, acknowledgement: 0 })),
    { t_ms: last_ms + 1, port, flags: SYN | ACK, fromClient: false, sequence: 77, acknowledgement: sequence + 1 },
    { t_ms: last_ms + 2, port, flags: ACK, fromClient: true, sequence: sequence + 1, acknowledgement: 78 },
  ];
}

export function linearCapture(): Buffer {
  const quick = Array.from({ length: 40 }, (_, n) => connection(n * 200, 40_000 + n, [0]));
  const slow = [500, 1_300, 2_100].map((at_ms, n) => connection(at_ms, 50_000 + n, SYNS_MS));
  const packets = [...quick, ...slow].flat().sort((a, b) => a.t_ms - b.t_ms);
  const head = Buffer.alloc(24);
  head.writeUInt32LE(0xa1b2c3d4, 0);
  head.writeUInt16LE(2, 4);
  head.writeUInt16LE(4, 6);
  head.writeUInt32LE(65_535, 16);
  head.writeUInt32LE(1, 20);
  return Buffer.concat([head, ...packets.flatMap((packet) => {
    const bytes = frame(packet);
    const record = Buffer.alloc(16);
    record.writeUInt32LE(START_S + Math.floor(packet.t_ms / 1_000), 0);
    record.writeUInt32LE((packet.t_ms % 1_000) * 1_000, 4);
    record.writeUInt32LE(bytes.length, 8);
    record.writeUInt32LE(bytes.length, 12);
    return [record, bytes];
  })]);
}
