// The network and local sockets, by bare system calls.
import type { JailLayer } from "../../src/jail/layers.ts";
import type { Probe, Tools } from "./probe.ts";

const family = { unix: 1, inet: 2, inet6: 10, netlink: 16, packet: 17, vsock: 40 } as const;
const stream = 1;
const datagram = 2;
const rawSocket = 3;
const loopback = 0x7f00_0001;
const sockets: readonly JailLayer[] = ["filter", "seal"];

function inetAddress(port: number): Buffer {
  const address = Buffer.alloc(16);
  address.writeUInt16LE(family.inet, 0);
  address.writeUInt16BE(port, 2);
  address.writeUInt32BE(loopback, 4);
  return address;
}

function connectUnix({ kernel }: Tools, name: string): number {
  const fd = kernel.call("socket", family.unix, stream, 0);
  if (fd < 0) return fd;
  const address = Buffer.alloc(2 + Buffer.byteLength(name, "latin1"));
  address.writeUInt16LE(family.unix, 0);
  address.write(name, 2, "latin1");
  return kernel.call("connect", fd, address, address.length);
}

export const networkProbes: readonly Probe[] = [
  {
    id: "connect by TCP",
    by: ["filter", "landlock", "seal"],
    act({ kernel, targets }) {
      const fd = kernel.call("socket", family.inet, stream, 0);
      return fd < 0 ? fd : kernel.call("connect", fd, inetAddress(targets.tcpPort), 16);
    },
  },
  {
    id: "listen by TCP",
    by: ["filter", "landlock", "seal"],
    act({ kernel }) {
      const fd = kernel.call("socket", family.inet, stream, 0);
      return fd < 0 ? fd : kernel.call("bind", fd, inetAddress(0), 16);
    },
  },
  {
    id: "send by UDP",
    by: sockets,
    act({ kernel, text, targets }) {
      const fd = kernel.call("socket", family.inet, datagram, 0);
      return fd < 0 ? fd : kernel.call("sendto", fd, text("probe"), 5, 0, inetAddress(targets.udpPort), 16);
    },
  },
  {
    id: "connect to a socket by path",
    by: sockets,
    act: (tools) => connectUnix(tools, tools.targets.unixPath),
  },
  {
    id: "connect to an abstract socket",
    by: ["filter", "landlock", "seal"],
    act: (tools) => connectUnix(tools, `\0${tools.targets.abstractName}`),
  },
  {
    id: "ask the kernel by netlink",
    by: sockets,
    act: ({ kernel }) => kernel.call("socket", family.netlink, rawSocket, 0),
  },
  {
    id: "send raw packets",
    by: ["user", ...sockets],
    isForRoot: true,
    act: ({ kernel }) => kernel.call("socket", family.inet, rawSocket, 1),
  },
  {
    id: "make a pair of sockets",
    by: ["seal"],
    act: ({ kernel }) => kernel.call("socketpair", family.unix, stream, 0, Buffer.alloc(8)),
  },
];
