/** Holds an `any`, so that the search for one has something to find. */
export type Planted = { deep: { at: ReturnType<typeof JSON.parse> }[] };
