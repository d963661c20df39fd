/** Words of the field in plain language. They say what a thing is, never why a connection was slow. */

export interface Term {
  name: string;
  /** Other spellings found in texts. Case counts where the name has capitals. */
  also: string[];
  /** One sentence for somebody who never saw the word; at most two lines. */
  means: string;
  /** Everybody's word too: listed here, but not dotted in texts. */
  common?: boolean;
}

const common = (name: string, means: string, ...also: string[]): Term => ({ name, also, means, common: true });
const term = (name: string, means: string, ...also: string[]): Term => ({ name, also, means });

export const TERMS: readonly Term[] = [
  term("SYN", "SYN is the first packet of a TCP connection: a program asks a server to talk.", "SYNs"),
  term("SYN-ACK", "SYN-ACK is the server's acceptance of a new connection; the client may then send.", "SYN-ACKs"),
  term("ACK", "ACK acknowledges everything received up to a byte number.", "ACKs"),
  term("RST", "RST ends a connection immediately: one side has no state for it or aborts it.", "RSTs"),
  term("FIN", "FIN closes one direction: this side has no more data to send.", "FINs"),
  term("retransmission", "A packet without an acknowledgement is retransmitted after a timeout, which users notice as slowness.", "sent again", "retransmissions", "retransmitted", "retry", "retries", "retried"),
  common("connection", "A connection is the exchange between a program and a server, from SYN to FIN or RST.", "connections"),
  term("tuple", "A tuple is the pair of addresses and ports that identifies one connection.", "tuples"),
  term("source port", "The source port is the number a client picks for one connection; it tells its connections apart.", "source ports", "ephemeral port", "ephemeral ports"),
  term("NAT", "NAT rewrites addresses or ports of packets in transit.", "translated", "translation", "translates"),
  term("SNAT", "SNAT gives packets that leave the node the node's own address as sender.", "MASQUERADE", "masquerading"),
  term("DNAT", "DNAT replaces a service's address by that of one of the servers behind it."),
  term("conntrack", "Conntrack is the kernel's list of connections; NAT looks up there what to rewrite.", "nf_conntrack"),
  term("insert_failed", "insert_failed counts new connections that the kernel could not write into its list."),
  term("veth", "A veth is the virtual cable between a container and its node.", "veths"),
  term("bridge", "The bridge is a virtual switch that joins the containers of one node.", "cni0", "docker0"),
  term("uplink", "The uplink is the node's own network interface to all other hosts.", "eth0"),
  term("vantage point", "A vantage point is a place on the path where packets were captured; elsewhere nothing can be seen.", "capture points", "capture point", "vantage points"),
  term("sighting", "A sighting is one packet captured at one vantage point; the same packet may have several.", "sightings"),
  common("frame", "A frame is one recorded packet; its number leads to it in the file.", "frames"),
  term("TIME_WAIT", "TIME_WAIT is the minute in which a closed connection's ports stay reserved against late packets.", "TIME-WAIT"),
  term("backlog", "A backlog is the content of a queue that was not processed; it drains all at once.", "backlogs", "drained backlog"),
  term("round trip", "A round trip (RTT) is the time from a request to its response on the network.", "RTT", "RTTs", "round trips"),
  term("stall", "In a stall packets wait in a queue and are then released together.", "stalls", "stalled"),
  term("median", "Half of the values are below the median, half are above it."),
  term("IPVS", "IPVS is the kernel's load balancer: it hands connections to one of several servers.", "ipvsadm"),
  term("real server", "A real server is one of the machines or containers behind a service's address.", "real servers"),
  term("ClusterIP", "A ClusterIP is a service's address inside the cluster; no machine has it, it is rewritten.", "ClusterIPs"),
  term("kube-proxy", "Kube-proxy writes the rules that lead a service's address to its containers."),
  term("DNS", "DNS turns names into addresses; a slow answer delays everything that needs the name."),
  term("resolver", "The resolver is the server that answers questions for names.", "resolvers", "nameserver"),
  term("search list", "The search list holds suffixes that are tried one after another in a DNS lookup.", "search domain", "search domains", "ndots"),
  term("metadata service", "The cloud's metadata service returns a machine's identity and credentials.", "metadata call", "metadata calls", "IMDS"),
  term("credentials", "Credentials are keys with which a program proves who it is; they end after a while.", "credential"),
  term("accept queue", "The accept queue holds finished connections that the server's program has not taken yet.", "listen queue"),
  term("receive queue", "The receive queue holds what has arrived and was not read by the program yet.", "socket buffer"),
  term("sequence number", "The sequence number counts the bytes of a connection, so both ends know what is missing.", "ISN"),
  term("TSval", "TSval is a clock reading inside each TCP packet; a retransmission has a later one.", "TSecr"),
  term("MTU", "The MTU is the largest packet that a network lets through in one piece.", "MSS"),
  term("ICMP", "ICMP carries messages of the network itself, such as “too big” or “no such place”."),
  term("pod", "A pod is one or a few containers that share a network address.", "pods"),
  common("node", "A node is one machine of the cluster; its pods share its network.", "nodes"),
  term("inferred", "Inferred means that it was not captured, but follows from the capture."),
  common("time lost", "Time lost is the sum of the delays above the baseline."),
  common("weight", "A server's weight says how many new connections it gets; 0 means no more."),
  term("port range", "The port range is the supply of numbers from which outgoing connections get theirs.", "ip_local_port_range"),
  common("window", "The TCP window says how much more the receiver can take; at zero the sender must wait.", "zero window"),
  term("sysctl", "A sysctl is a switch or number of the kernel that can be read and changed.", "sysctls"),
];

const escaped = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
const spellings = new Map(TERMS.flatMap((each) => [each.name, ...each.also].map((spelling) => [spelling.toLowerCase(), each] as const)));
/** The longest spelling first, so that SYN-ACK is not read as SYN. */
const PATTERN = [...TERMS].flatMap((each) => [each.name, ...each.also]).sort((a, b) => b.length - a.length).map(escaped).join("|");

/** Capitals count in abbreviations: "ack" in a word of somebody's is no ACK. */
const isWord = (found: string, each: Term): boolean =>
  [each.name, ...each.also].some((spelling) => (/[A-Z]{2}/.test(spelling) ? spelling === found : spelling.toLowerCase() === found.toLowerCase()));

export interface Found {
  term: Term;
  at: number;
  text: string;
}

/** The first place of each term in a text, in order. */
export function termsIn(text: string): Found[] {
  const seen = new Set<string>();
  const found: Found[] = [];
  for (const match of text.matchAll(new RegExp(`(?<![\\w-])(?:${PATTERN})(?![\\w-])`, "gi"))) {
    const each = spellings.get(match[0].toLowerCase());
    if (each === undefined || each.common || seen.has(each.name) || !isWord(match[0], each)) continue;
    seen.add(each.name);
    found.push({ term: each, at: match.index, text: match[0] });
  }
  return found;
}

/** Terms whose name or meaning holds the words; a name that begins with them comes first. */
export function termsLike(words: string): Term[] {
  const wanted = words.trim().toLowerCase();
  const names = (each: Term) => [each.name, ...each.also].map((name) => name.toLowerCase());
  const rank = (each: Term) => (names(each).includes(wanted) ? 0 : names(each).some((name) => name.startsWith(wanted)) ? 1 : 2);
  return TERMS.filter((each) => names(each).some((name) => name.includes(wanted)) || each.means.toLowerCase().includes(wanted))
    .sort((a, b) => rank(a) - rank(b) || a.name.localeCompare(b.name));
}
