// How strict the local network of the bridge's tests and of the journeys is (test-network/README.md, "Strict and kind").
import type { NetworkOptions } from "#root/test-network/network-state.ts";

/** As strict as the real network. `KIND_NETWORK=1` runs the same tests on a kind one; a test that needs it says `strict: false` itself. */
export const NETWORK_MODE: Pick<NetworkOptions, "strict"> = { strict: process.env["KIND_NETWORK"] === undefined };
