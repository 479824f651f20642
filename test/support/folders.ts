// Folders with files for tests, gone when the test is.
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

export type Files = Readonly<Record<string, string | Buffer | object>>;

/** A folder with these files; what is neither text nor bytes is written as JSON. */
export class Folder implements Disposable {
  readonly path: string;

  constructor(files: Files = {}) {
    this.path = realpathSync(mkdtempSync(join(tmpdir(), "vivarium-test-")));
    this.write(files);
  }

  write(files: Files): void {
    for (const [name, content] of Object.entries(files)) {
      const file = this.at(name);
      mkdirSync(dirname(file), { recursive: true });
      const isRaw = typeof content === "string" || Buffer.isBuffer(content);
      writeFileSync(file, isRaw ? content : JSON.stringify(content));
    }
  }

  at(name: string): string {
    return join(this.path, name);
  }

  remove(name: string): void {
    rmSync(this.at(name), { recursive: true, force: true });
  }

  [Symbol.dispose](): void {
    rmSync(this.path, { recursive: true, force: true });
  }
}
