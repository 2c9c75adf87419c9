import { BlockList, isIPv4, isIPv6 } from "node:net";

/** Whether an address belongs to the public internet: not private, not local, not reserved, not a translation. */
export function isPublicAddress(address: string): boolean {
  if (isIPv4(address)) return !RESERVED.check(address, "ipv4");
  if (!isIPv6(address)) return false;
  return GLOBAL_UNICAST.check(address, "ipv6") && !RESERVED.check(address, "ipv6");
}

/**
 * Everything outside of this range is not public, among it loopback, private addresses, and IPv4 addresses that are
 * written as IPv6 (::ffff:10.0.0.1, 64:ff9b::10.0.0.1).
 */
const GLOBAL_UNICAST = blockList("ipv6", [["2000::", 3]]);

const RESERVED: BlockList = blockList("ipv4", [
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
  ["224.0.0.0", 3],
]);

// Teredo and other assignments for protocols, documentation, 6to4.
for (const [address, bits] of [
  ["2001::", 23],
  ["2001:db8::", 32],
  ["2002::", 16],
  ["3fff::", 20],
] as const) {
  RESERVED.addSubnet(address, bits, "ipv6");
}

function blockList(
  family: "ipv4" | "ipv6",
  subnets: readonly (readonly [string, number])[],
): BlockList {
  const list = new BlockList();
  for (const [address, bits] of subnets) list.addSubnet(address, bits, family);
  return list;
}
