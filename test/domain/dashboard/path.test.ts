// The dashboard's calls reach the route that they name, whatever the ids contain.
import { expect, it } from "vitest";
import { filledPath } from "#root/dashboard/src/domain/path.ts";
import paths from "@gateway/conformance/paths.json" with { type: "json" };

it.each(paths)("an id that is $name stays one segment", ({ id, segment }) => {
  const { pathname } = new URL(
    filledPath("/connections/{id}/messages/{message_id}", (name) => (name === "id" ? 7 : id)),
    "https://a.example",
  );
  // The gateway knows no message whose id is dots that are encoded twice.
  const expected = segment ?? id.replaceAll(".", "%252e");
  expect(pathname).toBe(`/connections/7/messages/${expected}`);
});
