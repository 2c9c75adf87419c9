/** Contains an `any`, to show that the search would find one. */
export type Planted = { deep: { at: ReturnType<typeof JSON.parse> }[] };
