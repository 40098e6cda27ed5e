import { succeed } from "@gateway/protocol/failures.ts";
import type { OperationName } from "@gateway/protocol/operations.ts";
import type { HandlersOf } from "../handlers.ts";
import type { NetworkClient } from "../session/network-client.ts";
import type { Instance } from "../instance/instance.ts";

export function profileOperations(network: NetworkClient, instance: Instance): HandlersOf<Extract<OperationName, `profile.${string}`>> {
  return {
    "profile.get": async () => {
      const answer = await network.command("profile.get", {});
      if (!answer.ok) return answer;
      const { about, picture, business } = answer.value;
      const { phone, profileName, isBusiness } = instance.state;
      return succeed({
        phone,
        name: profileName,
        about,
        picture: picture?.media ?? null,
        is_business: isBusiness === true || business !== null,
        business,
      });
    },
    "profile.name": (input) => network.command("profile.name", input),
    "profile.about": (input) => network.command("profile.about", input),
    "profile.picture": (input) => network.command("profile.picture", input),
    "profile.remove_picture": () => network.command("profile.picture", { picture: null }),
    "profile.privacy": () => network.command("profile.privacy", {}),
    "profile.set_privacy": (input) => network.command("profile.set_privacy", input),
  };
}
