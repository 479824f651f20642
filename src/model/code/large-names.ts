// Names of functions that are kept from the optimising compilers. By themselves, as they are all that the guest runtime needs of
// the reserved names.

/** They begin with this. */
export const largeName = "__vivarium_large";
/** The body of a module, where it is such a function. */
export const largeModuleName = "__vivarium_large_module";
/** Such a function that does nothing: the engine looks for interrupts when it is called. */
export const tickName = "__vivarium_large_tick";
