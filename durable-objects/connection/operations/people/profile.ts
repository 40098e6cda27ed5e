// What the number shows of itself.
import type { HandlersOf } from "../handlers.ts";
import type { PeopleParts } from "./dependencies.ts";

export function profileOperations({
  network,
  instance,
  now,
}: PeopleParts): HandlersOf<"profile.get" | "profile.name" | "profile.about" | "profile.picture"> {
  return {
    "profile.get": async () => {
      const asked = await network.command("profile.get", {}, now());
      if (!asked.ok) return asked;
      const { about, picture, business } = asked.value;
      const { phone, profileName, isBusiness } = instance.state;
      return {
        ok: true,
        value: {
          phone,
          name: profileName,
          about,
          picture: picture?.media ?? null,
          is_business: isBusiness === true || business !== null,
          business,
        },
      };
    },
    "profile.name": (input) => network.command("profile.name", input, now()),
    "profile.about": (input) => network.command("profile.about", input, now()),
    "profile.picture": (input) => network.command("profile.picture", input, now()),
  };
}
