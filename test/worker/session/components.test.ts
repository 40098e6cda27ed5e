// Each component with scheduled work, or with memory that a commit changes, is on the list that the object goes through.
import { env } from "cloudflare:workers";
import { runInDurableObject } from "cloudflare:test";
import { afterEach, expect, it } from "vitest";
import { type ConnectionComponents, createComponents } from "#root/durable-objects/connection/components.ts";
import { PRODUCTION } from "#root/durable-objects/shared/deployment.ts";
import { allEnded, TestConnection } from "../fakes/connection.ts";

afterEach(allEnded);

/** Names of the components that have all these methods, but are not on the list. */
function missing(components: ConnectionComponents, methods: readonly string[], list: readonly unknown[]): string[] {
  const has = (each: object, method: string) => typeof (each as Record<string, unknown>)[method] === "function";
  return Object.entries<unknown>(components).flatMap(([name, each]) =>
    typeof each === "object" && each !== null && methods.every((method) => has(each, method)) && !list.includes(each) ? [name] : [],
  );
}

async function inObject(check: (components: ConnectionComponents) => void): Promise<void> {
  const connection = await TestConnection.create();
  await runInDurableObject(connection.stub, (_object, state) => check(createComponents(state, env as never, PRODUCTION, () => undefined)));
}

it("the alarm runs each component with scheduled work", () =>
  inObject((components) => {
    // `session` runs the state rows.
    expect(missing(components, ["nextDue", "run"], components.scheduled)).toEqual(["stateRows"]);
  }));

it("a rollback reaches each component that keeps what a commit changed", () =>
  inObject((components) => {
    expect(missing(components, ["rolledBack"], components.participants)).toEqual([]);
  }));
