import { useQueryClient } from "@tanstack/react-query";
import { refresh } from "../../api/cache.ts";
import { type Answer, api } from "../../api/client.ts";
import { relative } from "../../domain/relative.ts";
import { useNow } from "../../ui/clock.ts";
import { INTEGRATIONS, UI } from "../../texts/catalogs.ts";
import { locale, useLanguage } from "../../texts/language.ts";
import { useTexts } from "../../texts/catalog.ts";

export const KEYS = "GET /connections/{id}/keys";
export type Key = Answer<typeof KEYS>["data"][number];
export type NewKey = Answer<"POST /connections/{id}/keys">["data"];

/** "used 2 minutes ago" or "never used". */
export function useLastUse(): (key: Key) => string {
  const texts = useTexts(INTEGRATIONS).keys;
  const { justNow } = useTexts(UI);
  const language = useLanguage();
  const now = useNow();
  return ({ last_used_at: at }) =>
    at === null ? texts.neverUsed : `${texts.used} ${relative(Date.parse(at), now, locale(language), justNow)}`;
}

export function useMakeKey(id: string): (name: string, click: string) => Promise<NewKey> {
  const client = useQueryClient();
  return async (name, click) => {
    try {
      return (await api("POST /connections/{id}/keys", { id, name }, { click })).data;
    } finally {
      // Refetches even after an error, because there may be more keys than shown.
      await refresh(client, [KEYS]);
    }
  };
}
