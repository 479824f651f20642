// Which addresses are not public: those of this machine, of its networks, and reserved ones.
import { BlockList, isIP } from "node:net";

const closed = new BlockList();
const subnets: readonly (readonly [net: string, prefix: number])[] = [
  ["0.0.0.0", 8],
  ["10.0.0.0", 8],
  ["100.64.0.0", 10],
  ["127.0.0.0", 8],
  ["169.254.0.0", 16],
  ["172.16.0.0", 12],
  ["192.0.0.0", 24],
  ["192.0.2.0", 24],
  ["192.88.99.0", 24],
  ["192.168.0.0", 16],
  ["198.18.0.0", 15],
  ["198.51.100.0", 24],
  ["203.0.113.0", 24],
  ["224.0.0.0", 4],
  ["240.0.0.0", 4],
  ["2001::", 23],
  ["2001:db8::", 32],
  ["2002::", 16],
  ["3fff::", 20],
];
for (const [net, prefix] of subnets) closed.addSubnet(net, prefix, isIP(net) === 4 ? "ipv4" : "ipv6");

// Of IPv6 only what is given out to the world, and IPv4 addresses in their mapped form, which `closed` knows as themselves.
const open = new BlockList();
open.addSubnet("2000::", 3, "ipv6");
open.addSubnet("::ffff:0:0", 96, "ipv6");

/** Whether an address may be anyone's: it is public. What is no address is not. */
export function isPublicAddress(address: string): boolean {
  const family = isIP(address);
  if (family === 4) return !closed.check(address, "ipv4");
  return family === 6 && open.check(address, "ipv6") && !closed.check(address, "ipv6");
}
