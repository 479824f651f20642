// What must be true of package-lock.json so that `npm ci` accepts it everywhere.

export interface LockEntry {
  readonly version?: string;
  readonly resolved?: string;
  readonly dev?: boolean;
  readonly optional?: boolean;
  readonly hasInstallScript?: boolean;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
}

export interface Lock {
  readonly packages: Record<string, LockEntry>;
}

export interface Missing {
  readonly name: string;
  readonly version: string;
  readonly isDev: boolean;
}

/** Optional packages that others in the lock name and that it does not have. */
export function missingFrom({ packages }: Lock): readonly Missing[] {
  return Object.entries(packages)
    .filter(([path]) => path.startsWith("node_modules/"))
    .flatMap(([path, { optionalDependencies = {}, dev = false }]) =>
      Object.entries(optionalDependencies)
        .filter(
          ([name]) => !(`${path}/node_modules/${name}` in packages) && !(`node_modules/${name}` in packages),
        )
        .map(([name, version]) => ({ name, version, isDev: dev })),
    );
}
