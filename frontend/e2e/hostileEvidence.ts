/** Evidence whose every name is markup that would run a script: paths, hosts, agents, lookups, interfaces, lines. */
const START_S = 1_700_000_000;
const SYN = 0x02;
const ACK = 0x10;
const PSH = 0x08;

/** No blank in it: a request's target has none. It would set `window.owned`, and fetch what is not there. */
export const MARKUP = "<img/src=x/onerror=owned=1>";
const BREAKOUT = `"'><script>owned=1</script>`;

const words = (...parts: string[]): Buffer => Buffer.from(parts.join("\r\n"));
const u16 = (value: number): Buffer => Buffer.from([(value >> 8) & 0xff, value & 0xff]);
const u32 = (value: number): Buffer => Buffer.concat([u16(value >>> 16), u16(value)]);

function ip(protocol: number, fromClient: boolean, body: Buffer): Buffer {
  const ends = fromClient ? [10, 1, 0, 5, 10, 2, 0, 9] : [10, 2, 0, 9, 10, 1, 0, 5];
  return Buffer.concat([Buffer.from([0x45, 0]), u16(20 + body.length), u32(0x00010000), Buffer.from([64, protocol, 0, 0, ...ends]), body]);
}

function tcp(fromClient: boolean, flags: number, sequence: number, acknowledgement: number, payload: Buffer, port: number): Buffer {
  const ports = fromClient ? [port, 80] : [80, port];
  return ip(6, fromClient, Buffer.concat([...ports.map(u16), u32(sequence), u32(acknowledgement), Buffer.from([0x50, flags]), u16(64_000), u32(0), payload]));
}

function lookup(fromClient: boolean, label: string): Buffer {
  const name = Buffer.concat([Buffer.from([label.length]), Buffer.from(label), Buffer.from([0])]);
  const header = Buffer.concat([u16(7), u16(fromClient ? 0x0100 : 0x8183), u16(1), u16(0), u32(0)]);
  const body = Buffer.concat([header, name, u16(1), u16(1)]);
  const ports = fromClient ? [40_000, 53] : [53, 40_000];
  return ip(17, fromClient, Buffer.concat([...ports.map(u16), u16(8 + body.length), u16(0), body]));
}

/** Two exchanges, the second slow, and a lookup that fails late: requests, findings and lookups, all with these names. */
function packets(): { t_ms: number; bytes: Buffer }[] {
  const asked = words(
    `GET /${MARKUP}/v1?${MARKUP}=1 HTTP/1.1`, `Host: ${MARKUP}`, `User-Agent: ${BREAKOUT} ${MARKUP}`, `X-Request-Id: ${MARKUP}`, "", "",
  );
  const told = words("HTTP/1.1 200 OK", `Server: ${BREAKOUT}${MARKUP}`, `Location: http://${MARKUP}/${MARKUP}`, "Content-Length: 0", "", "");
  const nothing = Buffer.alloc(0);
  const sent: { t_ms: number; bytes: Buffer }[] = [];
  for (let n = 0; n < 12; n += 1) {
    const [at_ms, port] = [n * 3_000, 41_000 + n];
    const retried = n === 11 ? 1_000 : 0;
    if (retried) sent.push({ t_ms: at_ms, bytes: tcp(true, SYN, 100, 0, nothing, port) });
    const begin_ms = at_ms + retried;
    sent.push({ t_ms: begin_ms, bytes: tcp(true, SYN, 100, 0, nothing, port) });
    sent.push({ t_ms: begin_ms + 1, bytes: tcp(false, SYN | ACK, 500, 101, nothing, port) });
    sent.push({ t_ms: begin_ms + 2, bytes: tcp(true, ACK, 101, 501, nothing, port) });
    sent.push({ t_ms: begin_ms + 3, bytes: tcp(true, PSH | ACK, 101, 501, asked, port) });
    sent.push({ t_ms: begin_ms + (n === 10 ? 1_800 : 8), bytes: tcp(false, PSH | ACK, 501, 101 + asked.length, told, port) });
  }
  sent.push({ t_ms: 40_000, bytes: lookup(true, MARKUP) }, { t_ms: 42_500, bytes: lookup(false, MARKUP) });
  return sent;
}

const padded = (bytes: Buffer): Buffer => Buffer.concat([bytes, Buffer.alloc((4 - (bytes.length % 4)) % 4)]);

function block(kind: number, body: Buffer): Buffer {
  const head = Buffer.alloc(8);
  head.writeUInt32LE(kind, 0);
  head.writeUInt32LE(body.length + 12, 4);
  return Buffer.concat([head, body, head.subarray(4)]);
}

function option(code: number, text: string): Buffer {
  const head = Buffer.alloc(4);
  head.writeUInt16LE(code, 0);
  head.writeUInt16LE(text.length, 2);
  return Buffer.concat([head, padded(Buffer.from(text))]);
}

export function hostileCapture(): Buffer {
  const section = Buffer.from("4d3c2b1a01000000ffffffffffffffff", "hex");
  const link = Buffer.from([101, 0, 0, 0, 0, 0, 4, 0]);
  const described = [option(2, MARKUP), option(3, BREAKOUT), option(11, `\0host ${MARKUP}`), Buffer.alloc(4)];
  const frames = packets().map(({ t_ms, bytes }) => {
    const us = BigInt(START_S) * 1_000_000n + BigInt(t_ms) * 1_000n;
    const head = Buffer.alloc(20);
    head.writeUInt32LE(Number(us >> 32n), 4);
    head.writeUInt32LE(Number(us & 0xffffffffn), 8);
    head.writeUInt32LE(bytes.length, 12);
    head.writeUInt32LE(bytes.length, 16);
    return block(6, Buffer.concat([head, padded(bytes), option(1, MARKUP), Buffer.alloc(4)]));
  });
  return Buffer.concat([block(0x0a0d0d0a, section), block(1, Buffer.concat([link, ...described])), ...frames]);
}

/** Listings of several tools in one text: known lines with such names in them, and lines that are nothing else. */
export function hostileListing(): string {
  return [
    `root@${MARKUP}:~# iptables-save`, "*nat", `:${MARKUP} - [0:0]`, ":POSTROUTING ACCEPT [0:0]",
    `-A POSTROUTING -s 10.1.0.0/16 -o ${MARKUP} -m comment --comment "${MARKUP}" -j MASQUERADE`, `-A ${MARKUP} -j ${MARKUP}`, "COMMIT",
    `root@${MARKUP}:~# conntrack -L`,
    `tcp      6 86399 ESTABLISHED src=10.1.0.5 dst=10.2.0.9 sport=41000 dport=80 src=10.2.0.9 dst=10.1.0.5 sport=80 dport=41000 [ASSURED] mark=0 secctx=${MARKUP} use=1`,
    MARKUP, BREAKOUT,
    `root@${MARKUP}:~# uname -a`, `Linux ${MARKUP} 5.15.0 #1 SMP ${MARKUP} x86_64 GNU/Linux`,
    `root@${MARKUP}:~# sysctl -a`, `kernel.hostname = ${MARKUP}`, "net.netfilter.nf_conntrack_max = 262144", "",
  ].join("\n");
}
