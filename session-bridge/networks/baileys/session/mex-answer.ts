import * as z from "zod";

const MexAnswer = z.object({
  data: z.record(z.string(), z.unknown()).nullish(),
  errors: z.array(z.object({ extensions: z.object({ error_code: z.number().int().nullish() }).nullish() })).nullish(),
});
export type MexAnswer = { data: Record<string, unknown>; refusals: number[] };

const BAD_REQUEST = 400;

export function readMexAnswer(text: string | undefined): MexAnswer {
  const read = MexAnswer.safeParse(parsed(text));
  const refusals = (read.data?.errors ?? []).map(({ extensions }) => extensions?.error_code ?? BAD_REQUEST);
  return { data: read.data?.data ?? {}, refusals };
}

function parsed(text: string | undefined): unknown {
  try {
    return JSON.parse(text ?? "");
  } catch {
    return undefined;
  }
}
