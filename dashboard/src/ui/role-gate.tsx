import { useQuery } from "@tanstack/react-query";
import { useParams } from "@tanstack/react-router";
import { reading } from "../api/client.ts";
import { UI } from "../texts/catalogs.ts";
import { useTexts } from "../texts/catalog.ts";

export type Role = "owner" | "operator" | "viewer";

type Rights = {
  role: Role | null;
  /** The text for a button's `why`, or undefined if the user has the role or the role is not loaded yet. */
  ownerOnly: string | undefined;
  operatorOnly: string | undefined;
};

export function useRole(): Rights {
  const texts = useTexts(UI);
  const { id = "" } = useParams({ strict: false });
  const { data } = useQuery({ ...reading("GET /connections/{id}", { id }), enabled: id !== "" });
  const role = data?.data.role ?? null;
  const isOwner = role === null || role === "owner";
  return {
    role,
    ownerOnly: isOwner ? undefined : texts.ownerOnly,
    operatorOnly: isOwner || role === "operator" ? undefined : texts.operatorOnly,
  };
}
