// People, their pictures, the number's own profile, and the labels chats bear.
import type { HandlersOf } from "../handlers.ts";
import { contactOperations } from "./contacts.ts";
import { labelOperations } from "./labels.ts";
import type { PeopleParts } from "./parts.ts";
import { pictureOperations } from "./pictures.ts";
import { profileOperations } from "./profile.ts";
import type { OperationName } from "../../../../src/protocol/operations.ts";

type PeopleOperation = Extract<OperationName, `${"contacts" | "labels" | "pictures" | "profile"}.${string}`>;

export function peopleOperations(parts: PeopleParts): HandlersOf<PeopleOperation> {
  return { ...contactOperations(parts), ...labelOperations(parts), ...pictureOperations(parts), ...profileOperations(parts) };
}
