internal import CLinux
internal import Glibc
internal import Thumbnails

/// Runs a decoding program and waits for its end.
struct ProgramRunner {
  let filtersCalls: Bool

  /// Runs a program with the given descriptors.
  ///
  /// - Returns: The outcome, and the beginning of the program's output on standard error.
  func run(
    _ command: ProgramCommand, input: Int32, output: Int32
  ) -> (outcome: ThumbnailOutcome, messages: String) {
    let log = csandbox_memory_file("log")
    guard log >= 0 else { return (.failed, "memfd_create: error \(errno)") }
    defer { close(log) }
    // The previous program has read it.
    lseek(input, 0, SEEK_SET)
    let process = start(command, input: input, output: output, log: log)
    guard process >= 0 else { return (.failed, "fork: error \(errno)") }
    let outcome = Self.outcome(of: process)
    return (outcome, outcome == .made ? "" : Self.beginning(of: log))
  }

  private func start(
    _ command: ProgramCommand, input: Int32, output: Int32, log: Int32
  ) -> pid_t {
    withCStrings([command.path] + command.arguments) { arguments in
      withCStrings(command.environment) { environment in
        command.path.withCString { path in
          var program = csandbox_program(
            path: path, arguments: arguments, environment: environment, input: input,
            output: output, log: log, cpu_seconds: UInt64(command.cpuSeconds),
            memory_bytes: UInt64(command.memoryBytes),
            output_bytes: UInt64(command.outputBytes), filters_calls: filtersCalls)
          return csandbox_start(&program)
        }
      }
    }
  }

  private static func outcome(of process: pid_t) -> ThumbnailOutcome {
    var status: Int32 = 0
    while waitpid(process, &status, 0) < 0 {
      guard errno == EINTR else { return .failed }
    }
    return switch (status & 0x7F, status >> 8 & 0xFF) {
    case (0, 0): .made
    case (0, _): .failed
    case (SIGXCPU, _): .timedOut
    // The output exceeded its limit.
    case (SIGXFSZ, _): .failed
    case (_, _): .killed
    }
  }

  private static func beginning(of log: Int32) -> String {
    let capacity = 500
    let bytes = [UInt8](unsafeUninitializedCapacity: capacity) { buffer, count in
      count = max(0, pread(log, buffer.baseAddress, capacity, 0))
    }
    return String(decoding: bytes, as: UTF8.self)
      .split(whereSeparator: \.isNewline).joined(separator: "; ")
  }
}

/// Passes strings to C as a null-terminated array.
func withCStrings<Result>(
  _ strings: [String], _ body: (UnsafePointer<UnsafeMutablePointer<CChar>?>) -> Result
) -> Result {
  let pointers = strings.map { strdup($0) } + [nil]
  defer { for pointer in pointers { free(pointer) } }
  return pointers.withUnsafeBufferPointer { buffer in
    guard let base = buffer.baseAddress else { preconditionFailure("an array that is not empty") }
    return body(base)
  }
}
