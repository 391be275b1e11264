internal import Dispatch
internal import Glibc

/// The command line as a program.
package enum ParleyProgram {
  /// Runs with the arguments of the process, and ends it.
  package static func run() -> Never {
    Task {
      await Parley.main()
      exit(EXIT_SUCCESS)
    }
    dispatchMain()
  }
}
