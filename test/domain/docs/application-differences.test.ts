import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { APPLICATION_DIFFERENCES } from "../../support/cloud/application-differences.ts";

const PAGE = fileURLToPath(new URL("../../../docs/use/cloud-api.md", import.meta.url));

it("the page lists exactly the differences between both kinds that the journey allows, in the same words", () => {
  const sections = readFileSync(PAGE, "utf8").split(/^## /m);
  const section = sections.find((each) => each.startsWith("Differences for an application\n")) ?? "";
  const [, , ...rows] = section.split("\n").filter((line) => line.startsWith("|"));
  expect(rows).toEqual(APPLICATION_DIFFERENCES.map(({ what, session, cloud, why }) => `| ${[what, session, cloud, why].join(" | ")} |`));
});
