// People, their pictures, the number's own profile, the labels chats bear, and channels.
import type { HandlersOf } from "../handlers.ts";
import { channelOperations } from "./channels.ts";
import { contactOperations } from "./contacts.ts";
import { labelOperations } from "./labels.ts";
import type { PeopleParts } from "./dependencies.ts";
import { pictureOperations } from "./pictures.ts";
import { profileOperations } from "./profile.ts";
import type { OperationName } from "../../../../src/protocol/operations.ts";

type PeopleOperation = Extract<OperationName, `${"channels" | "contacts" | "labels" | "pictures" | "profile"}.${string}`>;

export function peopleOperations(parts: PeopleParts): HandlersOf<PeopleOperation> {
  return {
    ...channelOperations(parts),
    ...contactOperations(parts),
    ...labelOperations(parts),
    ...pictureOperations(parts),
    ...profileOperations(parts),
  };
}
