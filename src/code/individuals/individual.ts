// Sandboxes as plain data: exports a version log, and checks an imported individual before it is used.
import { createHmac, timingSafeEqual, type KeyObject } from "node:crypto";
import type { Individual, IndividualBody, IndividualVersion } from "../../model/sandboxes/individual.ts";
import { VivariumError } from "../../model/errors.ts";
import { checkShape, refuse } from "./individual-shape.ts";
import { canonical, checksumOfData } from "../../std/checksum.ts";
import type { Revision, Version, VersionLog } from "../modules/version-log.ts";

const bytesMax = 64 * 2 ** 20;

/** The modules and revisions of a log, as an individual has them. */
export function writeVersions(log: VersionLog): Pick<IndividualBody, "modules" | "revisions"> {
  const modules = log.modules.map((module): [string, readonly IndividualVersion[]] => {
    return [module, log.history(module).map(writtenVersion)];
  });
  return { modules: Object.fromEntries(modules), revisions: log.revisions.map(writtenRevision) };
}

// Neither changes, and every reload writes them all.
const writtenVersion = oncePer(
  ({ version, artifact: { source, checksum }, parent, mutation, createdAt }: Version): IndividualVersion =>
    Object.freeze({ version, source, checksum, parent, mutation, createdAt }),
);
const writtenRevision = oncePer(({ revision, heads }: Revision) =>
  Object.freeze({ revision, heads: Object.freeze(Object.fromEntries(heads)) }),
);

function oncePer<T extends object, R>(write: (value: T) => R): (value: T) => R {
  const written = new WeakMap<T, R>();
  return (value) => {
    const known = written.get(value);
    if (known !== undefined) return known;
    const fresh = write(value);
    written.set(value, fresh);
    return fresh;
  };
}

/** Adds the checksum, and a signature where there is a key. */
export function withChecksum(body: IndividualBody, key: KeyObject | undefined): Individual {
  const checksum = checksumOfData(body);
  if (key === undefined) return { ...body, checksum };
  return { ...body, checksum, signature: signatureOf(body, key).toString("hex") };
}

function signatureOf(body: IndividualBody, key: KeyObject): Buffer {
  return createHmac("sha256", key).update(canonical(body)).digest();
}

/**
 * Checks an individual; throws `INVALID_INDIVIDUAL` for one that was changed, is too large, or is malformed, and where there
 * is a key, for one that was not signed with it.
 */
export function checkIndividual(value: unknown, key: KeyObject | undefined): Individual {
  try {
    return readIndividual(value, key);
  } catch (error) {
    if (error instanceof VivariumError) throw error;
    // It has cycles, is nested too deeply, or throws when it is read.
    return refuse("plain data that JSON can say", typeof value);
  }
}

function readIndividual(value: unknown, key: KeyObject | undefined): Individual {
  const text = JSON.stringify(value) as string | undefined;
  if (text === undefined || text.length > bytesMax) refuse(`at most ${bytesMax} bytes of JSON`, text?.length);
  const individual = JSON.parse(text as string) as Individual;
  checkShape(individual);
  const { checksum, signature, ...body } = individual;
  if (key !== undefined && !isSigned(body, signature, key))
    refuse(
      "signed with the signingKey of this runtime",
      signature === undefined ? signature : typeof signature,
    );
  if (checksum !== checksumOfData(body)) refuse("as it was exported, which its checksum proves", checksum);
  return individual;
}

// The comparison takes as long for a signature that is almost right as for any other.
function isSigned(body: IndividualBody, signature: unknown, key: KeyObject): boolean {
  const expected = signatureOf(body, key);
  const given = Buffer.from(typeof signature === "string" ? signature : "", "hex");
  return given.length === expected.length && timingSafeEqual(given, expected);
}
