/// A parser under test: takes any bytes and traps when an invariant does not hold.
protocol Harness: SendableMetatype {
  static func run(_ input: [UInt8])
}
