/// Whether thumbnails are made.
package enum ThumbnailMode: String, Hashable, Sendable, CaseIterable {
  /// If `vipsthumbnail` works.
  case auto
  /// Always: startup fails if `vipsthumbnail` does not work.
  case on
  case off
}

/// The walls required for decoding.
package enum ThumbnailSandbox: String, Hashable, Sendable, CaseIterable {
  /// Those available.
  case auto
  /// Landlock and the system call filter, at least.
  case required
}

/// The results of the self-test of this machine at startup.
package struct ThumbnailProbe: Hashable, Sendable {
  package var walls = ThumbnailWalls()
  /// The programs that were found and ran behind the walls.
  package var programs = ThumbnailPrograms()
  /// One line for each missing item.
  package var missing: [String] = []

  package init() {}

  /// Returns the consequence for the server.
  package func decision(
    mode: ThumbnailMode, sandbox: ThumbnailSandbox
  ) -> ThumbnailDecision {
    switch (mode, obstacle(sandbox)) {
    case (.off, _): .off("thumbnails.mode is off")
    case (.auto, nil), (.on, nil): .make
    case (.auto, let obstacle?) where programs.vipsthumbnail == nil: .off(obstacle)
    // Missing walls that are required must be reported.
    case (.auto, let obstacle?), (.on, let obstacle?): .fail(obstacle)
    }
  }

  private func obstacle(_ sandbox: ThumbnailSandbox) -> String? {
    if programs.vipsthumbnail == nil {
      return missing.isEmpty ? "vipsthumbnail does not work" : missing.joined(separator: "; ")
    }
    switch sandbox {
    case .auto: return nil
    case .required:
      return walls.isSufficient
        ? nil : "thumbnails.sandbox is required, but there is only: \(walls.summary)"
    }
  }
}

/// The consequence of a probe.
package enum ThumbnailDecision: Hashable, Sendable {
  case make
  /// The server runs without thumbnails, for this reason.
  case off(String)
  /// The server must not start, for this reason.
  case fail(String)
}
