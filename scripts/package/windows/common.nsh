; What both installers have in common. TREE, OUT and VERSION are given by scripts/package/windows.mjs.
Target amd64-unicode
!ifdef QUICK
  SetCompressor zlib
!else
  SetCompressor /SOLID lzma
!endif
OutFile "${OUT}"
BrandingText "Markbook ${VERSION}"
!include MUI2.nsh
!define MUI_ICON "${TREE}/markbook.ico"
!define MUI_UNICON "${TREE}/markbook.ico"
!define UNINSTALL "Software\Microsoft\Windows\CurrentVersion\Uninstall"
