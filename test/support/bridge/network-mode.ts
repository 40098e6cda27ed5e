// How strict the local network of the bridge's tests and of the journeys is (test-network/README.md, "Strict and lenient").
import type { NetworkOptions } from "#root/test-network/network-state.ts";

/** As strict as the real network. `LENIENT_NETWORK=1` runs the same tests on a lenient one; a test that needs it says `strict: false` itself. */
export const NETWORK_MODE: Pick<NetworkOptions, "strict"> = { strict: process.env["LENIENT_NETWORK"] === undefined };
