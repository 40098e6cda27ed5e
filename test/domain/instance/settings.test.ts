// A change of settings is merged with `json_patch`, which removes what is null (src/services/connections/change.ts).
import { expect, it } from "vitest";
import { DEFAULT_INSTANCE_SETTINGS, InstanceSettingsChange } from "@gateway/protocol/instance-settings.ts";

type Fields = Readonly<Record<string, unknown>>;

/** The settings that may be null, with their defaults, each by its path. */
function nullable(defaults: Fields, changeOf: (part: Fields) => Fields, path = ""): [string, unknown][] {
  return Object.entries(defaults).flatMap(([name, value]): [string, unknown][] => {
    const within = (part: unknown) => changeOf({ [name]: part });
    if (typeof value === "object" && value !== null) return nullable(value as Fields, within, `${path}${name}.`);
    return InstanceSettingsChange.safeParse(within(null)).success ? [[path + name, value]] : [];
  });
}

it("a setting that may be null is null by default", () => {
  const found = nullable(DEFAULT_INSTANCE_SETTINGS, (change) => change);
  expect(found.map(([path]) => path)).toContain("pacing.new_chats_per_hour");
  expect(found.filter(([, value]) => value !== null)).toEqual([]);
});
