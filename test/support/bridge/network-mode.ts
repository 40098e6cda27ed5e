// How strict the local network is in bridge tests and journeys (test-network/README.md, "Strict and lenient").
import type { NetworkOptions } from "#root/test-network/network-state.ts";

/** As strict as the real network. `LENIENT_NETWORK=1` makes tests lenient; a test that needs leniency sets `strict: false` itself. */
export const NETWORK_MODE: Pick<NetworkOptions, "strict"> = { strict: process.env["LENIENT_NETWORK"] === undefined };
