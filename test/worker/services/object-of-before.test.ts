// During a deployment a new worker calls objects of the previous release, which lack its methods.
import { env } from "cloudflare:workers";
import { expect, it } from "vitest";
import { failureOfException, isTransientError } from "#root/src/services/exceptions.ts";

it("a call of a method that an object of the previous release lacks is retried, and is no defect", async () => {
  const stub = env.ACCOUNT_GUARD.getByName(crypto.randomUUID()) as unknown as { ofTomorrow(): Promise<void> };
  const error: unknown = await stub.ofTomorrow().catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(Error);
  expect([isTransientError(error), failureOfException(error)]).toEqual([true, "unavailable"]);
  expect(failureOfException(new TypeError("x is not a function"))).toBe("internal_error");
});
