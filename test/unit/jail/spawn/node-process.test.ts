// The links that the processes in the jail must be allowed to read beside what they lead to.
import assert from "node:assert/strict";
import { symlinkSync } from "node:fs";
import { suite, test } from "node:test";
import { pathToFileURL } from "node:url";
import { linksTo } from "../../../../src/jail/spawn/node-process.ts";
import { Folder } from "../../../support/folders.ts";

suite("linksTo()", () => {
  test("gives the link that is a package, and not the folder that it lies in", () => {
    using folder = new Folder({ "store/part/index.js": "", "app/node_modules/other/index.js": "" });
    symlinkSync(folder.at("store/part"), folder.at("app/node_modules/part"));
    assert.deepEqual(linksTo("part", programIn(folder)), [folder.at("app/node_modules/part")]);
  });

  test("gives the link that is the folder of packages, and that of the package in it", () => {
    using folder = new Folder({ "store/part/index.js": "", "shared/other/index.js": "", "app/main.js": "" });
    symlinkSync(folder.at("store/part"), folder.at("shared/part"));
    symlinkSync(folder.at("shared"), folder.at("app/node_modules"));
    const links = [folder.at("app/node_modules"), folder.at("shared/part")];
    assert.deepEqual(linksTo("part", programIn(folder)), links);
  });

  test("gives nothing for a package that lies where it is found, and for one that is not there", () => {
    using folder = new Folder({ "app/node_modules/part/index.js": "" });
    assert.deepEqual(linksTo("part", programIn(folder)), []);
    assert.deepEqual(linksTo("absent-part", programIn(folder)), []);
  });
});

function programIn(folder: Folder): URL {
  return pathToFileURL(folder.at("app/main.js"));
}
