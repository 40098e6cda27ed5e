// Chats for the palette, found by name or number.
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { api, type ResponseBody, reading } from "../api/client.ts";
import { matching } from "../domain/palette.ts";
import { groupedPhone } from "../domain/phone.ts";
import { SHELL } from "../texts/catalogs.ts";
import { useTexts } from "../texts/catalog.ts";
import { useConnection } from "./switcher.tsx";

const CHATS = "GET /connections/{id}/chats";
/** For each connection. */
const LISTED = 8;
/** If no connection is open, searches only the first ones, because each one is a request. */
const SEARCHED = 3;

type Chat = ResponseBody<typeof CHATS>["data"][number];
type Found = { id: string; label: string; phone: string | null; kind: string; isPrivate: true; onSelect: () => void };

/** The chats of the open connection, or of the first connections if none is open. */
export function useFoundChats(typed: string): readonly Found[] {
  const texts = useTexts(SHELL).palette;
  const navigate = useNavigate();
  const chosen = useConnection();
  const q = asNumber(typed) ?? typed;
  const isWanted = q !== "";
  const first = useQuery({ ...reading("GET /connections", { limit: SEARCHED }), enabled: isWanted && chosen === undefined });
  const searched =
    chosen === undefined ? (first.data?.data ?? []).map(({ id, name }) => ({ id: String(id), name })) : [{ id: chosen.id, name: null }];
  const ids = searched.map(({ id }) => id);
  const { data = [], isPlaceholderData } = useQuery({
    queryKey: [CHATS, "palette", ids, q],
    queryFn: ({ signal }) => Promise.all(ids.map((id) => api(CHATS, { id, q, limit: LISTED }, { signal }))),
    enabled: isWanted && ids.length > 0,
    placeholderData: keepPreviousData,
  });
  if (!isWanted) return [];
  const found = data.flatMap(({ data: chats }, at): Found[] => {
    const { id, name } = searched[at] ?? { id: undefined, name: null };
    return chats.flatMap((chat) => {
      const label = labelOf(chat);
      if (id === undefined || label === null) return [];
      return {
        id: `h${id}-${chat.chat_id}`,
        label,
        phone: chat.phone,
        kind: name ?? texts.kinds[chat.kind],
        isPrivate: true,
        onSelect: () => void navigate({ to: "/connections/$id/chats/$chat", params: { id, chat: chat.chat_id } }),
      };
    });
  });
  // Chats of the previous search stay until the next response, unless they do not match.
  return isPlaceholderData ? matching(found, typed) : found;
}

/** The digits of a number that is written with spaces or hyphens. */
function asNumber(typed: string): string | null {
  return /^\+?[\d\s().-]*\d[\d\s().-]*$/.test(typed) ? typed.replaceAll(/\D/g, "") : null;
}

function labelOf({ name, phone }: Chat): string | null {
  const number = phone === null ? null : groupedPhone(phone);
  return name === null || number === null ? (name ?? number) : `${name} ${number}`;
}
