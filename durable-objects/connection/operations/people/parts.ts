// What the operations on people, their pictures and their labels stand on.
import type { Instance } from "../../session/instance.ts";
import type { Network } from "../../session/network.ts";
import type { Stores } from "../../store/stores.ts";

export type PeopleParts = {
  network: Network;
  stores: Stores;
  instance: Instance;
  /** Unix ms; a command takes its time, so the moment of the call is not the moment of its answer. */
  now: () => number;
};
