import { useQuery } from "@tanstack/react-query";
import { reading } from "../api/client.ts";
import { groupedPhone } from "../domain/phone.ts";
import { UI } from "../texts/catalogs.ts";
import { useTexts } from "../texts/catalog.ts";

const LINK = "font-semibold text-accent underline underline-offset-2 break-words";

export function Support() {
  const texts = useTexts(UI).support;
  const support = useQuery(reading("GET /session", {})).data?.data.support ?? null;
  if (support === null) return <p>{texts.unnamed}</p>;
  const { name, email, phone } = support;
  return (
    <p className="flex flex-wrap gap-x-3 gap-y-1">
      <span>{name === "" ? texts.title : texts.named(name)}</span>
      {email !== "" && (
        <a href={`mailto:${email}`} className={LINK}>
          {email}
        </a>
      )}
      {phone !== "" && (
        <a href={`https://wa.me/${phone}`} target="_blank" rel="noreferrer" className={LINK}>
          {groupedPhone(phone)}
        </a>
      )}
    </p>
  );
}
