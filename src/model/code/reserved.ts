// Names that the compiler introduces into modules. No source may use them.

import { largeModuleName, largeName, tickName } from "./large-names.ts";

export const reservedPrefix = "__vivarium_";

export const reserved = {
  /** The fuel counter, and what is called when it is below zero. */
  fuel: "__vivarium_fuel__",
  spend: "__vivarium_spend__",
  /** Tells the module table the value of an exported variable. */
  publish: "__vivarium_publish",
  /** `import()` and, as its property, `import.meta`. */
  import: "__vivarium_import",
  /** The global `arguments`, where the module's own function has some. */
  arguments: "__vivarium_arguments",
  /** Declares an import that may be read too early. */
  zone: "__vivarium_zone",
  /** Accessors of variables that are written: exported ones, and imports, whose setter throws. */
  writes: "__vivarium_writes",
  /** A constant: assigning to it throws. */
  constant: "__vivarium_constant",
  /** Publishes all exported variables again. */
  publishAll: "__vivarium_publish_all",
  /** An exported function that has no name. */
  default: "__vivarium_default",
  /** What `eval` is given. */
  text: "__vivarium_text",
  /** The parameter of a setter. */
  value: "__vivarium_value",
  /** Followed by a number. */
  setter: "__vivarium_setter_",
  declarator: "__vivarium_declarator_",
  large: largeName,
  largeModule: largeModuleName,
  tick: tickName,
  /** A parameter that the body declares again, followed by a number. */
  parameter: "__vivarium_parameter_",
  /** The value of a script so far. */
  result: "__vivarium_result",
  /** A function whose declaration is kept after its script, followed by a number. */
  function: "__vivarium_function_",
  /** The generator that another one delegates to. */
  delegate: "__vivarium_delegate",
} as const;

/** The parameters of the function that a module is wrapped in, in their order. */
export const wrapperParameters: readonly string[] = [
  reserved.fuel,
  reserved.spend,
  reserved.publish,
  reserved.import,
  reserved.arguments,
  reserved.zone,
  reserved.delegate,
];
