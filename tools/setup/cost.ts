import { estimate } from "../cost/estimate.ts";

const dollars = (value: number): string => `$${value < 10 ? Number(value.toFixed(1)) : Math.round(value)}`;

export function costText(bridge: "cloudflare" | "external"): string {
  const { plan, container, numbers, received, sent } = estimate(bridge);
  const idle =
    bridge === "cloudflare"
      ? `${dollars(plan + container)} a month: the Workers Paid plan (${dollars(plan)}), and one session bridge with its object (${dollars(container)})`
      : `${dollars(plan)} a month: the Workers Paid plan. Your machines for session bridges come on top`;
  const where = bridge === "cloudflare" ? "" : ", on rented machines";
  return `Cost at list prices, before free allowances (docs/internals/costs.md):
  while idle             ${idle}
  1,000 numbers          ${dollars(numbers)} a month${where}
  a million messages     ${dollars(received)} received, ${dollars(sent)} sent`;
}
