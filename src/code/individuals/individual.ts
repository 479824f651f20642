// Sandboxes as plain data: how a version log is written down, and how what comes from elsewhere is checked before any of
// it is believed.
import type { Individual, IndividualBody, IndividualVersion } from "../../model/individual.ts";
import { VivariumError } from "../../model/errors.ts";
import { checkShape, refuse } from "./individual-shape.ts";
import { checksumOfData } from "./checksum.ts";
import type { VersionLog } from "../modules/version-log.ts";

const bytesMax = 64 * 2 ** 20;

/** The modules and revisions of a log, as an individual has them. */
export function writeVersions(log: VersionLog): Pick<IndividualBody, "modules" | "revisions"> {
  const modules = log.modules.map((module): [string, readonly IndividualVersion[]] => {
    const versions = log.history(module).map(({ version, artifact, parent, mutation, createdAt }) => {
      const { source, checksum } = artifact;
      return { version, source, checksum, parent, mutation, createdAt };
    });
    return [module, versions];
  });
  const revisions = log.revisions.map(({ revision, heads }) => ({
    revision,
    heads: Object.fromEntries(heads),
  }));
  return { modules: Object.fromEntries(modules), revisions };
}

/** Adds the checksum. */
export function seal(body: IndividualBody): Individual {
  return { ...body, checksum: checksumOfData(body) };
}

/** The individual that a value is; throws `INVALID_INDIVIDUAL` for what was tampered with, is too large, or is none. */
export function checkIndividual(value: unknown): Individual {
  try {
    return readIndividual(value);
  } catch (error) {
    if (error instanceof VivariumError) throw error;
    // What goes round in circles, is nested too deeply, or throws when it is read.
    return refuse("plain data that JSON can say", typeof value);
  }
}

function readIndividual(value: unknown): Individual {
  const text = JSON.stringify(value) as string | undefined;
  if (text === undefined || text.length > bytesMax) refuse(`at most ${bytesMax} bytes of JSON`, text?.length);
  const individual = JSON.parse(text as string) as Individual;
  checkShape(individual);
  const { checksum, ...body } = individual;
  if (checksum !== checksumOfData(body)) refuse("as it was exported, which its checksum proves", checksum);
  return individual;
}
