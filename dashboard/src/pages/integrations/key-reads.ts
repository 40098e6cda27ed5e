// A connection's API keys: their list, their last use, and the creation of one.
import { useQueryClient } from "@tanstack/react-query";
import { refresh } from "../../api/cache.ts";
import { api, reading, type ResponseBody } from "../../api/client.ts";
import { relative } from "../../domain/formats.ts";
import { INTEGRATIONS, UI } from "../../texts/catalogs.ts";
import { useTexts } from "../../texts/catalog.ts";
import { locale, useLanguage } from "../../texts/language.ts";
import { useNow } from "../../ui/clock.ts";

export const KEYS = "GET /connections/{id}/keys";
export type Key = ResponseBody<typeof KEYS>["data"][number];
export type NewKey = ResponseBody<"POST /connections/{id}/keys">["data"];

export function useLastUse(): (key: Key) => string {
  const texts = useTexts(INTEGRATIONS).keys;
  const { justNow } = useTexts(UI);
  const language = useLanguage();
  const now = useNow();
  return ({ last_used_at: at }) =>
    at === null ? texts.neverUsed : `${texts.used} ${relative(Date.parse(at), now, locale(language), justNow)}`;
}

type MakeKey = (name: string, idempotencyKey: string, limits?: Pick<Key, "scopes" | "allowed_ips" | "assistant">) => Promise<NewKey>;

export function useMakeKey(id: string): MakeKey {
  const client = useQueryClient();
  return async (name, idempotencyKey, limits) => {
    try {
      const { data } = await api("POST /connections/{id}/keys", { id, name, ...limits }, { idempotencyKey });
      const { key: _value, ...made } = data;
      client.setQueryData(reading(KEYS, { id }).queryKey, (known) => known && { ...known, data: [...known.data, made] });
      return data;
    } finally {
      // Even after an error, because there may be more keys than those shown. The value comes only once, so it does not wait for a read.
      void refresh(client, [KEYS]);
    }
  };
}
