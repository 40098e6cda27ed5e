import { useQuery } from "@tanstack/react-query";
import { timeFormat } from "../../src/domain/formats.ts";
import { groupedPhone } from "../../src/domain/phone.ts";
import { locale, useLanguage } from "../../src/texts/language.ts";
import { usePhoneTexts } from "../texts/texts.ts";
import { people, reading } from "./control.ts";

/** The saved name, or else the person's own name, or else the phone number. */
export function useNames(phone: string): (digits: string) => string {
  const { data: contacts = [] } = useQuery(reading(phone, "/contacts"));
  const { data: everybody = [] } = useQuery(people());
  const { you } = usePhoneTexts();
  return (digits) => {
    if (digits === phone) return you;
    const contact = contacts.find((one) => one.phone === digits);
    return contact?.full_name ?? everybody.find((one) => one.phone === digits)?.name ?? contact?.push_name ?? groupedPhone(digits);
  };
}

export function digitsOf(chatId: string): string {
  return chatId.replace(/@.*$/, "");
}

export function isGroup(chatId: string): boolean {
  return chatId.endsWith("@g.us");
}

export function isPerson(chatId: string): boolean {
  return /@(c\.us|lid)$/.test(chatId);
}

export function useTimes() {
  const language = locale(useLanguage());
  const { thread } = usePhoneTexts();
  const clock = (seconds: number): string => timeFormat(language).format(seconds * 1000);
  const day = (seconds: number): string => {
    const ago = daysAgo(seconds);
    if (ago <= 0) return thread.today;
    if (ago === 1) return thread.yesterday;
    return new Date(seconds * 1000).toLocaleDateString(language, { day: "numeric", month: "long", year: "numeric" });
  };
  return {
    clock,
    day,
    brief: (seconds: number): string => {
      const ago = daysAgo(seconds);
      if (ago <= 0) return clock(seconds);
      return ago === 1 ? thread.yesterday.toLowerCase() : new Date(seconds * 1000).toLocaleDateString(language);
    },
    full: (seconds: number): string => new Date(seconds * 1000).toLocaleString(language),
  };
}

function daysAgo(seconds: number): number {
  const midnight = new Date();
  midnight.setHours(0, 0, 0, 0);
  return Math.ceil((midnight.getTime() - seconds * 1000) / 86_400_000);
}

export function duration(seconds: number): string {
  const whole = Math.max(0, Math.floor(seconds));
  return `${Math.floor(whole / 60)}:${String(whole % 60).padStart(2, "0")}`;
}
