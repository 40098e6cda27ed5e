// What the operations on people, their pictures and their labels stand on.
import type { Instance } from "../../session/instance.ts";
import type { NetworkClient } from "../../session/network-client.ts";
import type { Stores } from "../../store/stores.ts";

export type PeopleParts = {
  network: NetworkClient;
  stores: Stores;
  instance: Instance;
  /** Unix ms; a command takes its time, so the moment of the call is not the moment of its answer. */
  now: () => number;
};
