import { PRODUCT } from "@gateway/domain/product.ts";

export function Brand() {
  return (
    <span className="flex items-center gap-2 leading-5 font-semibold">
      <img src="/favicon.svg" alt="" width={24} height={24} />
      {PRODUCT.name}
    </span>
  );
}
