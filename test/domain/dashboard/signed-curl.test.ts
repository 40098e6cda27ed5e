import { expect, it } from "vitest";
import { signedAt, signedCurl } from "#root/dashboard/src/domain/snippets.ts";

const signed = { headers: { "webhook-id": "msg_1", "webhook-timestamp": "1700000000" }, body: `{"text":"it's 'quoted' $HOME \\n"}` };

it("the signed curl command quotes headers and body as shell words, whatever they contain", () => {
  expect(signedCurl("http://localhost:3000/a?b='c'", signed)).toBe(
    [
      String.raw`curl -X POST 'http://localhost:3000/a?b='\''c'\'''` + " \\",
      "  -H 'webhook-id: msg_1' \\",
      "  -H 'webhook-timestamp: 1700000000' \\",
      String.raw`  --data-raw '{"text":"it'\''s '\''quoted'\'' $HOME \n"}'`,
    ].join("\n"),
  );
});

it("the signed curl command shows when it was signed", () => {
  expect(signedAt(signed)).toBe(1_700_000_000_000);
  expect(signedAt({ headers: {}, body: "" })).toBeNull();
});
