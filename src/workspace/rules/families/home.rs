//! The names in the home folder, in the form of the lists in the file of the families.

/// Files that a system executes at login, in a terminal or in the background, or that decide who may log in, relative
/// to the home folder.
pub(super) const AT_HOME: &str = "
    .bashrc .bash_profile .bash_login .bash_logout .bash_aliases .bash_functions .bashrc.d .bash.d
    .bash_completion .bash_completion.d .local/share/bash-completion .profile .profile.d
    .zshrc .zshenv .zprofile .zlogin .zlogout .zfunc .oh-my-zsh .kshrc .mkshrc .cshrc .tcshrc .login .logout
    .inputrc .xonshrc .elvish
    .xprofile .xinitrc .xsession .xsessionrc .xserverrc .pam_environment
    .config/autostart .config/autostart-scripts .config/environment.d .config/plasma-workspace
    .config/systemd .local/share/systemd .local/share/dbus-1 .config/upstart .config/runit
    .config/fish .config/nushell .config/zsh .config/bash .config/xonsh .config/elvish .config/powershell
    library/launchagents library/launchdaemons launchagents launchdaemons
    crontab .crontab crontabs cron.d
    .forward .procmailrc .qmail* .rhosts .shosts .k5login
";

/// Folders with keys and passwords of programs, relative to the home folder.
pub(super) const KEYS_AT_HOME: &str = "
    .azure .oci .bluemix .config/doctl .config/rclone .config/op .config/sops .config/age .config/hub .fly
    .config/github-copilot .local/share/keyrings .config/google-chrome .config/chromium .mozilla .thunderbird
    .cache/huggingface/token library/keychains
";

/// Folders of programs, and settings of tools that start programs, relative to the home folder.
pub(super) const PROGRAMS_AT_HOME: &str = "
    .local/bin bin .bin .local/lib .local/libexec .local/opt .local/pipx .appimage* applications
    .cargo/bin .cargo/env .rustup go/bin .go/bin .goenv .deno/bin .bun/bin .npm-global .nvm .fnm .n .nodenv .volta
    .pyenv .rbenv .rvm .jenv .phpenv .plenv .perlbrew .asdf .sdkman .jbang .krew .pixi .proto .dotnet .pub-cache
    .nix-profile .nix-defexpr .config/nix .config/nixpkgs .nixpkgs .config/home-manager .config/guix .guix-profile
    .linuxbrew .homebrew miniconda3 miniforge3 mambaforge anaconda3 .conda .mamba .virtualenvs .local/share/pipx
    .local/share/uv .local/share/pnpm .local/share/virtualenvs .config/mise .local/share/mise .local/share/fnm
    .config/git .config/hub .config/lazygit .config/jj .config/hg .hgext .subversion .mrconfig .gitlibs
    .config/pip .pip .config/uv .config/containers .docker .lima .colima .vagrant.d .ansible .terraform.d
    .config/helm .helm .local/share/helm .minikube .config/direnv
";

/// Folders of desktops and of programs with windows that start programs, relative to the home folder.
pub(super) const DESKTOP_AT_HOME: &str = "
    .config/i3 .config/sway .config/hypr .config/bspwm .config/sxhkd .config/awesome .config/qtile
    .config/openbox .config/polybar .config/waybar .config/xmonad .xmonad .config/river .config/niri .config/labwc
    .config/wayfire* .config/eww .config/rofi .config/dunst .config/mako .config/conky .config/lxsession
    .config/xfce4 .config/kde* .config/cosmic .fvwm .fluxbox .icewm .jwm .wmii .wmfs .ratpoison .stumpwm* .twm
    .config/espanso .config/fcitx5 .config/pulse .config/pipewire .config/wireplumber .pulse .kde .kde4 .gnome2
    .screenlayout .vnc .themes .icons .mplayer .config/mpv .config/vlc .conky .cinnamon .wine
    .local/share/applications .local/share/kservices5 .local/share/kservices6 .local/share/kio
    .local/share/kwin .local/share/plasma .local/share/konsole .local/share/kglobalaccel .local/share/krunner
    .local/share/gnome-shell .local/share/cinnamon .local/share/nautilus .local/share/nemo .local/share/caja
    .local/share/thunar .local/share/file-manager .local/share/thumbnailers .local/share/mime .local/share/xsessions
    .local/share/wayland-sessions .local/share/ibus .local/share/fcitx5 .local/share/flatpak .local/share/themes
    .local/share/icons .var/app .hammerspoon .config/karabiner .aspell* library/services library/scripts
    library/keybindings library/quicklook library/spotlight library/input*methods library/automator
    library/application*scripts library/preferences library/internet*plug-ins library/screen*savers
";

/// Folders of terminals, shells' extensions and programs in terminals, relative to the home folder.
pub(super) const TERMINAL_AT_HOME: &str = "
    .config/kitty .config/alacritty .config/wezterm .config/foot .config/ghostty .config/starship.toml .config/tmux
    .tmux .tmuxifier .tmuxinator .byobu .config/zellij .config/ranger .config/lf .config/yazi .config/nnn .config/mc
    .mc .vifm .zsh .zplug .zinit .zi .zim .znap .antigen .antidote .zprezto .fzf .bash_it .oh-my-bash .oh-my-posh
    .local/share/zsh .local/share/fish .local/share/zinit .local/share/sheldon .local/share/nushell
    .mutt .config/mutt .config/neomutt .newsboat .config/aerc .irssi .weechat .elinks .lynx .w3m .gnus .mailcap.d
    .task .timewarrior .config/taskwarrior .aria2 .ncmpcpp .mpd .moc .calcurse .rtorrent .ytdl .gnuplot .units.d
";

/// Folders that interpreters, compilers and package managers of languages execute or trust, relative to the home folder.
pub(super) const LANGUAGES_AT_HOME: &str = "
    .gradle/init.d .gradle/init.gradle .gradle/gradle.properties .gradle/wrapper .m2/settings.xml .m2/extensions.xml
    .m2/wrapper .sbt .ivy2 .coursier .lein .clojure .boot .groovy .bundle .gem .ghc .ghcup .stack .cabal .julia
    .ipython .jupyter .local/share/jupyter .local/share/virtualenv .matplotlib .r .rstudio .octave .racket
    .local/share/racket .roswell .quicklisp quicklisp .slime .sly .opam .elan .mix .hex .cpan .cpanm perl5 .luarocks
    .nimble .raku .composer .config/composer .config/yarn .config/pnpm .config/npm .config/go .config/pypoetry
    .config/gdb .platformio .arduino15 .android .flutter .vcpkg .conan .conan2 .node_modules .node_libraries
";

/// Settings of programs in general. Many name commands that the program runs, such as a pager, an editor or a hook.
pub(super) const SETTINGS_AT_HOME: &str = ".config";

/// Settings of editors in the home folder, which editors execute.
pub(super) const EDITORS_AT_HOME: &str = "
    .config/nvim .local/share/nvim .config/vim .config/helix .config/emacs .config/doom .doom.d .emacs.d .vim
    .config/kak .config/micro .config/zed .config/lapce* .config/sublime-text* .config/jetbrains .config/geany
    .config/code* .config/vscodium .config/cursor .config/windsurf
    .config/positron .vscode .vscode-server .vscode-oss .vscode-insiders .vscodium .cursor-server
    .config/nano .config/ideavim library/application*support/code library/application*support/cursor
";
