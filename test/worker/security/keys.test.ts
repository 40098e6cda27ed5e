// One route per method and family against every kind of invalid key; the endurance tier covers every route.
import { describe, expect, it } from "vitest";
import { type Customer, freshCustomer } from "../support/customer.ts";
import { gateway } from "../support/gateway.ts";
import { describeBadKeys } from "./bad-keys.ts";
import { answerTo, NOWHERE, TABLE } from "./world.ts";

const ask = gateway();

/** The family of `/api/v1/chats/…` is `chats`. */
const familyOf = ({ method, path }: (typeof TABLE)[number]) => `${method} ${path.split(/[/?]/)[3]}`;
const onePerFamily = [...new Map(TABLE.map((request) => [familyOf(request), request])).values()];

describeBadKeys([...onePerFamily, ...NOWHERE]);

describe("a route or method that does not exist", () => {
  it.each(NOWHERE)("answers $answer.status to a valid key: $name", async (request) => {
    const { key } = await customer();
    expect(await answerTo(ask, request, { "X-Api-Key": key })).toMatchObject(request.answer);
  });
});

let known: Promise<Customer> | null = null;
const customer = () => (known ??= freshCustomer());
