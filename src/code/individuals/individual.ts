// Sandboxes as plain data: exports a version log, and checks an imported individual before it is used.
import type { Individual, IndividualBody, IndividualVersion } from "../../model/sandboxes/individual.ts";
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
export function withChecksum(body: IndividualBody): Individual {
  return { ...body, checksum: checksumOfData(body) };
}

/** Checks an individual; throws `INVALID_INDIVIDUAL` for one that was changed, is too large, or is malformed. */
export function checkIndividual(value: unknown): Individual {
  try {
    return readIndividual(value);
  } catch (error) {
    if (error instanceof VivariumError) throw error;
    // It has cycles, is nested too deeply, or throws when it is read.
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
