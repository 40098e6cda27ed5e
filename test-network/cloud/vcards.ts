type Card = {
  name: { formatted_name: string; first_name?: string | undefined; last_name?: string | undefined };
  phones?: Array<{ phone?: string | undefined; wa_id?: string | undefined; type?: string | undefined }> | undefined;
  emails?: unknown;
  org?: unknown;
};

export function vcardOf({ name, phones = [], emails, org }: Card): { full_name: string; phone: string; vcard: string } {
  const [first] = phones;
  const lines = phones.map(({ phone = "", wa_id, type = "CELL" }) => `TEL;type=${type}${wa_id ? `;waid=${wa_id}` : ""}:${phone}`);
  const mails = (Array.isArray(emails) ? emails : []).map((one: { email?: string }) => `EMAIL:${one.email ?? ""}`);
  const { company } = (org ?? {}) as { company?: string };
  const vcard = [
    "BEGIN:VCARD",
    "VERSION:3.0",
    `N:${name.last_name ?? ""};${name.first_name ?? name.formatted_name};;;`,
    `FN:${name.formatted_name}`,
    ...(company === undefined ? [] : [`ORG:${company}`]),
    ...lines,
    ...mails,
    "END:VCARD",
  ].join("\n");
  return { full_name: name.formatted_name, phone: (first?.wa_id ?? first?.phone ?? "").replace(/\D/g, ""), vcard };
}

export function contactOf(card: { full_name: string; vcard: string }): Record<string, unknown> {
  const lines = card.vcard.split(/\r?\n/);
  const phones = lines.flatMap((line) => {
    const [, parameters = "", phone = ""] = /^(?:item\d+\.)?TEL([^:]*):(.*)$/i.exec(line) ?? [];
    if (phone === "") return [];
    const [, wa_id] = /waid=(\d+)/i.exec(parameters) ?? [];
    const [, type = "CELL"] = /type=([^;,]+)/i.exec(parameters) ?? [];
    return [{ phone, ...(wa_id !== undefined && { wa_id }), type }];
  });
  const [last = "", first = ""] = (lines.find((line) => line.startsWith("N:")) ?? "").slice(2).split(";");
  const company = lines.find((line) => line.startsWith("ORG:"))?.slice(4);
  const emails = lines.filter((line) => /^EMAIL/i.test(line)).map((line) => ({ email: line.replace(/^[^:]*:/, "") }));
  return {
    name: { formatted_name: card.full_name, ...(first !== "" && { first_name: first }), ...(last !== "" && { last_name: last }) },
    ...(phones.length > 0 && { phones }),
    ...(emails.length > 0 && { emails }),
    ...(company !== undefined && { org: { company } }),
  };
}
