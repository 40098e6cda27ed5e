// People, their pictures, the number's own profile, the labels chats bear, and channels.
import type { HandlersOf } from "../handlers.ts";
import { channelOperations } from "./channels.ts";
import { contactOperations } from "./contacts.ts";
import { labelOperations } from "./labels.ts";
import type { NetworkClient } from "../../session/network-client.ts";
import type { Stores } from "../../store/stores.ts";
import type { Instance } from "../../session/instance.ts";
import { pictureOperations } from "./pictures.ts";
import { profileOperations } from "./profile.ts";
import type { OperationName } from "../../../../src/protocol/operations.ts";

type PeopleOperation = Extract<OperationName, `${"channels" | "contacts" | "labels" | "pictures" | "profile"}.${string}`>;

export function peopleOperations(network: NetworkClient, stores: Stores, instance: Instance): HandlersOf<PeopleOperation> {
  return {
    ...channelOperations(network, stores),
    ...contactOperations(network, stores),
    ...labelOperations(network, stores, instance),
    ...pictureOperations(network, stores),
    ...profileOperations(network, instance),
  };
}
