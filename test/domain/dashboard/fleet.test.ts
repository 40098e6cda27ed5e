// Summaries on the fleet page.
import { expect, it } from "vitest";
import { announcedBy, buildsOf, idsOf, meaningOf, newestServed, VERSION_PATTERN } from "#root/dashboard/src/domain/fleet.ts";
import adminWords from "#root/dashboard/src/texts/pt/admin.ts";
import { CRASH_LOOP } from "@gateway/domain/fleet/crash-loop.ts";
import { AWAY, CONTAINER } from "@gateway/domain/fleet/alarms.ts";
import { CLIENT_VERSION, TROUBLE_KINDS } from "@gateway/protocol/bridge-socket.ts";

const bridge = (version: string | null, source: "set" | "library" | "served", served: string | null, build: string | null = null) => ({
  client_version: version === null ? null : { version, source },
  served_version: served,
  build,
});

it("bridges are counted by the version that they announce, newest first", () => {
  const bridges = [
    bridge("2.3000.9", "library", null),
    bridge("2.3000.10", "served", "2.3000.10"),
    bridge("2.3000.9", "library", null),
    bridge(null, "set", null),
  ];
  expect(announcedBy(bridges)).toEqual([
    { version: "2.3000.10", source: "served", bridges: 1 },
    { version: "2.3000.9", source: "library", bridges: 2 },
  ]);
});

it("the newest served version is found by number, not by text", () => {
  expect(newestServed([bridge(null, "set", "2.3000.9"), bridge(null, "set", "2.3000.1043"), bridge(null, "set", null)])).toBe(
    "2.3000.1043",
  );
  expect(newestServed([bridge(null, "set", null)])).toBeNull();
});

it("each build is named once", () => {
  expect(
    buildsOf([bridge(null, "set", null, "b"), bridge(null, "set", null, "a"), bridge(null, "set", null, "b"), bridge(null, "set", null)]),
  ).toEqual(["a", "b"]);
});

it("ids are parsed as people write lists", () => {
  expect(idsOf(" a\nb, c\n\n")).toEqual(["a", "b", "c"]);
  expect(idsOf("")).toEqual([]);
});

it("the version field accepts the versions that the API accepts", () => {
  expect(`^${VERSION_PATTERN}$`).toBe(CLIENT_VERSION.source);
});

it("every kind of trouble is explained, and some codes in more detail", () => {
  const { meanings } = adminWords.fleet;
  for (const kind of [...TROUBLE_KINDS, AWAY.kind, CONTAINER, CRASH_LOOP.split(" ")[0] ?? ""])
    expect([kind, meaningOf(meanings, { kind, code: "x" })]).not.toEqual([kind, ""]);
  expect(meaningOf(meanings, { kind: "close", code: "405" })).not.toBe(meaningOf(meanings, { kind: "close", code: "500" }));
  expect(meaningOf(meanings, { kind: "of a later release", code: "1" })).toBe("");
});
