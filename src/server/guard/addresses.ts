// Names and addresses of machines, as they stand in options and in headers.
import { isIP } from "node:net";

const loopbackForm = /^127(?:\.\d{1,3}){3}$/;
const authorityForm = /^(\[[0-9a-f:.]{2,45}\]|[a-z0-9._-]{1,253})(?::\d{1,5})?$/i;

/** Whether only this machine can reach what listens there. A name other than localhost may mean any machine. */
export function isLoopback(host: string): boolean {
  const name = bare(host);
  return name === "localhost" || name === "::1" || (isIP(name) === 4 && loopbackForm.test(name));
}

/** Whether it stands for every address of this machine. */
export function isWildcard(host: string): boolean {
  return ["0.0.0.0", "::", "0:0:0:0:0:0:0:0"].includes(bare(host));
}

/** The name in a `Host` header, without its port, in small letters; null for what is no name at all. */
export function hostnameOf(header: string): string | null {
  const [, name] = authorityForm.exec(header) ?? [];
  return name === undefined ? null : bare(name);
}

/** Without the brackets of an address of version 6, in small letters; one of version 4 in its short form. */
export function bare(host: string): string {
  return host
    .toLowerCase()
    .replace(/^\[|\]$/g, "")
    .replace(/^::ffff:(?=\d+\.)/, "");
}

/** As it stands in an address of the web. */
export function bracketed(host: string): string {
  return isIP(host) === 6 ? `[${host}]` : host;
}
